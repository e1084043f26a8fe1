// Search, severity filter, copy buttons, deep links and printing. The page is complete without this script.
(function () {
  "use strict";

  var root = document.documentElement;
  var search = document.getElementById("search");
  var status = document.querySelector(".matches");
  var levels = Array.from(document.querySelectorAll("input[name=severity]"));
  var cards = Array.from(document.querySelectorAll(".card"));
  var texts = new WeakMap();

  root.classList.add("scripted");

  document.addEventListener("click", function (event) {
    var button = event.target.closest(".copy");
    if (button) copy(button);
  });
  addEventListener("hashchange", reveal);
  printing();
  if (search) filtering();
  reveal();

  function textOf(element) {
    var text = texts.get(element);
    if (text === undefined) {
      text = element.textContent.toLowerCase();
      texts.set(element, text);
    }
    return text;
  }

  function wordsOf(query) {
    return query.toLowerCase().split(/\s+/).filter(Boolean);
  }

  function accepted(element, text, words, shown) {
    return shown.has(element.dataset.severity) && words.every(function (word) { return text.includes(word); });
  }

  // A card whose own cause matches is shown whole; otherwise only those of its findings that match, and they are
  // brought to light when one searches for words.
  function matches(card, words, shown) {
    var inner = Array.from(card.querySelectorAll(".finding"));
    if (accepted(card, textOf(card.querySelector(".lead")), words, shown)) {
      inner.forEach(function (finding) { finding.hidden = false; });
      return true;
    }
    if (!words.every(function (word) { return textOf(card).includes(word); })) return false;
    inner.forEach(function (finding) { finding.hidden = !accepted(finding, textOf(finding), words, shown); });
    var found = inner.filter(function (finding) { return !finding.hidden; });
    if (words.length) found.forEach(function (finding) { open(finding.parentElement); });
    return found.length > 0;
  }

  function filterCard(card, words, shown) {
    card.hidden = !matches(card, words, shown);
    var link = document.querySelector('nav a[href="#' + card.id + '"]');
    if (link) link.parentElement.hidden = card.hidden;
  }

  // Opens everything folded around an element, itself included.
  function open(element) {
    for (var node = element; node; node = node.parentElement) {
      if (node.tagName === "DETAILS") node.open = true;
    }
  }

  function filter() {
    var words = wordsOf(search.value);
    var shown = new Set(levels.filter(function (box) { return box.checked; }).map(function (box) { return box.value; }));
    cards.forEach(function (card) { filterCard(card, words, shown); });
    var visible = cards.filter(function (card) { return !card.hidden; }).length;
    var active = words.length > 0 || shown.size < levels.length;
    status.textContent = active ? visible + " of " + cards.length + " cards match" : "";
  }

  function clearFilter() {
    search.value = "";
    levels.forEach(function (box) { box.checked = true; });
    filter();
  }

  // Shows the target of a link, whatever hides it.
  function reveal() {
    var target = document.getElementById(location.hash.slice(1));
    if (!target) return;
    if (target.closest("[hidden]")) clearFilter();
    open(target);
    target.scrollIntoView();
  }

  function say(button, word) {
    button.textContent = word;
    setTimeout(function () { button.textContent = "Copy"; }, 1500);
  }

  // Browsers that refuse the clipboard to local files get the text selected, ready for Ctrl+C.
  function select(element, button) {
    getSelection().selectAllChildren(element);
    say(button, document.execCommand("copy") ? "Copied" : "Selected");
  }

  function copy(button) {
    var source = button.parentElement.querySelector("pre");
    if (!navigator.clipboard) return select(source, button);
    navigator.clipboard.writeText(source.textContent).then(
      function () { say(button, "Copied"); },
      function () { select(source, button); }
    );
  }

  function filtering() {
    var waiting;
    search.addEventListener("input", function () {
      clearTimeout(waiting);
      waiting = setTimeout(filter, 60);
    });
    levels.forEach(function (box) { box.addEventListener("change", filter); });
    search.form.addEventListener("submit", function (event) { event.preventDefault(); filter(); });
    document.addEventListener("keydown", shortcut);
    // Browsers put old field values back when a page is reloaded.
    filter();
  }

  function shortcut(event) {
    if (event.key === "Escape" && document.activeElement === search) clearFilter();
    var typing = /^(INPUT|TEXTAREA|SELECT)$/.test(document.activeElement.tagName);
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    search.focus();
  }

  function printing() {
    var opened = [];
    addEventListener("beforeprint", function () {
      opened = Array.from(document.querySelectorAll("details:not([open])"));
      opened.forEach(function (element) { element.open = true; });
    });
    addEventListener("afterprint", function () {
      opened.forEach(function (element) { element.open = false; });
    });
  }
})();
