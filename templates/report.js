// Copy buttons, links to findings and printing. The page is complete without this script. Other scripts of the page hear
// `settle` before hidden things are looked for, `showall` when one of them was asked for, and `period` with the seconds that were chosen on
// the time axis, or null.
var gleaner = {
  // Numbers in the places of their names; what a page says stands in its elements, in its language.
  fill: function (text, numbers) {
    return text.replace(/\{(\w+)\}/g, function (_, name) { return numbers[name].toLocaleString("en"); });
  },

  // Whether an element's time meets a period; what has no time always does.
  isWithin: function (element, period) {
    if (!element.dataset.at) return true;
    var at = element.dataset.at.split(" ").map(Number);
    return at[0] <= period.to && (at.length < 2 || at[1] >= period.from);
  },

  // Lists that are not part of the page yet, with their findings.
  packed: new Map(),

  // What holds the findings of a list: the list, or a fragment where a page with very many has them as text until
  // somebody opens it.
  contents: function (list) {
    var text = list.querySelector(":scope > noscript");
    if (text) {
      var template = document.createElement("template");
      template.innerHTML = text.textContent;
      text.remove();
      gleaner.packed.set(list, template.content);
    }
    return gleaner.packed.get(list) || list;
  },

  unpack: function (list) {
    var contents = gleaner.contents(list);
    if (contents !== list) list.append(contents);
    gleaner.packed.delete(list);
  },

  // A finding by its anchor, wherever it is.
  find: function (anchor) {
    document.querySelectorAll("main details").forEach(function (list) {
      var text = list.querySelector(":scope > noscript");
      var here = text ? text.textContent.includes('id="' + anchor + '"')
        : gleaner.packed.has(list) && gleaner.contents(list).getElementById(anchor);
      if (here) gleaner.unpack(list);
    });
    return document.getElementById(anchor);
  }
};

(function () {
  "use strict";

  document.documentElement.classList.add("scripted");

  document.addEventListener("click", function (event) {
    var button = event.target.closest(".copy");
    if (button) copy(button);
  });
  document.addEventListener("toggle", function (event) {
    if (event.target.open) gleaner.unpack(event.target);
  }, true);
  addEventListener("hashchange", reveal);
  // Filters, which another script sets first, may hide the target.
  addEventListener("DOMContentLoaded", reveal);
  printing();
  drawing();

  // Shows the target of a link, whatever hides it.
  function reveal() {
    var anchor = location.hash.slice(1);
    var target = document.getElementById(anchor) || (anchor.startsWith("f-") && gleaner.find(anchor));
    if (!target) return;
    document.dispatchEvent(new Event("settle"));
    if (target.closest("[hidden]")) document.dispatchEvent(new Event("showall"));
    for (var node = target; node; node = node.parentElement) {
      if (node.tagName === "DETAILS") node.open = true;
    }
    target.scrollIntoView();
    // What was opened on the way gets its height with the next frame.
    requestAnimationFrame(function () { target.scrollIntoView(); });
  }

  // What a button says is its label only, so that it is no part of the text that is searched.
  function say(button, word) {
    var label = button.dataset.label || button.ariaLabel;
    button.dataset.label = label;
    button.ariaLabel = word;
    setTimeout(function () { button.ariaLabel = label; }, 1500);
  }

  // Browsers that refuse the clipboard to local files get the text selected, ready for Ctrl+C.
  function select(element, button) {
    element.hidden = false;
    var fold = element.closest("details");
    if (fold) fold.open = true;
    getSelection().selectAllChildren(element);
    say(button, document.execCommand("copy") ? document.body.dataset.copied : document.body.dataset.selected);
  }

  function copy(button) {
    var source = button.parentElement.querySelector(":scope > pre, :scope > details > pre");
    if (!navigator.clipboard) return select(source, button);
    navigator.clipboard.writeText(source.textContent).then(
      function () { say(button, document.body.dataset.copied); },
      function () { select(source, button); }
    );
  }

  // In a narrow window contents and filters are a drawer, which is closed at first.
  function drawing() {
    var drawer = document.querySelector(".drawer");
    var narrow = matchMedia("(max-width: 60rem)");
    function fit() { drawer.open = !narrow.matches; }
    narrow.addEventListener("change", fit);
    fit();
  }

  function printing() {
    var opened = [];
    addEventListener("beforeprint", function () {
      document.querySelectorAll("main details").forEach(gleaner.unpack);
      document.dispatchEvent(new Event("settle"));
      opened = Array.from(document.querySelectorAll("details:not([open])"));
      opened.forEach(function (element) { element.open = true; });
    });
    addEventListener("afterprint", function () {
      opened.forEach(function (element) { element.open = false; });
    });
  }
})();
