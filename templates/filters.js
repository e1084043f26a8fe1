// Search and filters. What a finding has of each facet stands in its data-in as tokens; what they mean was decided
// before. The state is in the address, `#?severity=high&q=words`, so that it can be sent.
(function () {
  "use strict";

  var form = document.querySelector(".filter");
  if (!form) return;
  var search = document.getElementById("search");
  var status = form.querySelector(".matches");
  var clear = form.querySelector(".clear");
  var chips = document.querySelector(".chips");
  // The first one is that of the severities of causes.
  var facets = Array.from(document.querySelectorAll(".chips, .filter fieldset")).map(facetOf);
  var links = new Map(Array.from(document.querySelectorAll("nav a[href^='#f-']")).map(function (link) {
    return [link.hash.slice(1), link.parentElement];
  }));
  var items = [];
  var lists = [];
  // Lists whose findings are not connected yet: those of very many findings wait until there is time.
  var later = [];
  // Lists that are short enough are opened where something in them matches, and closed again afterwards.
  var SHORT = 50;
  var waiting = false;
  // What was chosen on the time axis, as { from, to } in seconds since 1970.
  var period = null;
  var saving;

  connect(document, null);
  listen();
  read();
  idle(0);

  function facetOf(fieldset) {
    return {
      boxes: Array.from(fieldset.querySelectorAll("input")),
      counts: new Map(Array.from(fieldset.querySelectorAll("input")).map(function (box) {
        return [box.dataset.token, box.parentElement.querySelector(".count")];
      })),
      told: fieldset === chips ? null : fieldset.parentElement.querySelector(".chosen")
    };
  }

  // A finding: its tokens, its text once that is asked for, and what it stands in.
  function itemOf(element, rule) {
    return { element: element, tokens: element.dataset.in.split(" "), rule: rule, text: null, around: null, cause: null, matched: false, shown: true, opened: false };
  }

  function listOf(element) {
    return { element: element, summary: element.firstElementChild, owner: null, items: [], opened: false, settled: true };
  }

  // Takes the findings below a root, which may be those of a list only. Finds for each the one around it, the cause that
  // it is folded under, and the lists that it stands in.
  function connect(root, within) {
    var rule = within && ruleOf(within.element);
    var fresh = Array.from(root.querySelectorAll(".card, .finding")).map(function (element) {
      return itemOf(element, rule || ruleOf(element));
    });
    var found = Array.from(root.querySelectorAll(".symptoms, .more")).map(listOf);
    var of = new Map(fresh.map(function (item) { return [item.element, item]; }));
    var listAt = new Map(found.map(function (list) { return [list.element, list]; }));
    found.forEach(function (list) {
      var parent = list.element.parentElement;
      list.owner = (parent && of.get(parent.closest(".card, .finding"))) || within.owner;
      if (list.element.querySelector(":scope > noscript")) later.push(list);
    });
    fresh.forEach(function (item) {
      for (var node = item.element.parentElement; node && !item.around; node = node.parentElement) {
        if (listAt.has(node)) stands(item, listAt.get(node));
        item.around = of.get(node);
      }
      if (within && !item.around) {
        stands(item, within);
        item.around = within.owner;
      }
    });
    items = items.concat(fresh);
    lists = lists.concat(found);
  }

  function ruleOf(element) {
    return element.closest("[data-rule]").dataset.rule;
  }

  function stands(item, list) {
    list.items.push(item);
    if (list.element.classList.contains("symptoms")) item.cause = list.owner;
  }

  function connectLater(list) {
    connect(gleaner.contents(list.element), list);
  }

  // The text of a finding without that of its symptoms. All of a card have the rule of its lead.
  function textOf(item) {
    if (item.text !== null) return item.text;
    var parts = [];
    (item.element.querySelector(".lead, .body") || item.element).childNodes.forEach(function (node) {
      if (!node.classList || !node.classList.contains("symptoms")) parts.push(node.textContent);
    });
    if (item.element.tagName === "DETAILS") parts.push(item.element.firstElementChild.textContent);
    parts.push(item.rule);
    item.text = parts.join("\n").toLowerCase();
    return item.text;
  }

  // Reads texts ahead while nothing else is to be done.
  function idle(from) {
    if ((from >= items.length && !later.length) || !window.requestIdleCallback) return;
    requestIdleCallback(function (deadline) {
      var at = from;
      while (later.length && deadline.timeRemaining() > 10) connectLater(later.shift());
      while (at < items.length && deadline.timeRemaining() > 1) textOf(items[at++]);
      idle(at);
    });
  }

  function chosen(facet) {
    return facet.boxes.filter(function (box) { return box.checked; });
  }

  // How many of the facets refuse an item, and which was the last of them.
  function refusal(item, wanted) {
    var count = 0, last = -1;
    wanted.forEach(function (tokens, index) {
      if (tokens.size === 0 || item.tokens.some(function (token) { return tokens.has(token); })) return;
      count += 1;
      last = index;
    });
    return { count: count, last: last };
  }

  function apply() {
    waiting = false;
    while (later.length) connectLater(later.shift());
    var words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    var wanted = facets.map(function (facet) {
      return new Set(chosen(facet).map(function (box) { return box.dataset.token; }));
    });
    var active = period !== null || words.length > 0 || wanted.some(function (tokens) { return tokens.size > 0; });
    // Beside each value: how many causes there would be with the other facets as they are, and how many findings that causes explain.
    var counts = facets.map(function () { return new Map(); });
    var found = { n: 0, all: 0, m: 0, others: 0 };
    items.forEach(function (item) {
      item.matched = false;
      found[item.cause ? "others" : "all"] += 1;
      if (period && !gleaner.isWithin(item.element, period)) return;
      if (!words.every(function (word) { return textOf(item).includes(word); })) return;
      var refused = refusal(item, wanted);
      item.matched = refused.count === 0;
      if (item.matched) found[item.cause ? "m" : "n"] += 1;
      counts.forEach(function (count, index) {
        if (refused.count > 1 || (refused.count === 1 && refused.last !== index)) return;
        item.tokens.forEach(function (token) { add(count, token, item.cause); });
      });
    });
    show(active);
    facets.forEach(function (facet, index) { tell(facet, counts[index], wanted[index].size); });
    status.textContent = active ? gleaner.fill(found.others ? status.dataset.more : status.dataset.says, found) : "";
    clear.hidden = !active;
    save();
  }

  function add(counts, token, explained) {
    var count = counts.get(token) || { n: 0, m: 0 };
    count[explained ? "m" : "n"] += 1;
    counts.set(token, count);
  }

  function tell(facet, counts, chosen) {
    if (facet.told) facet.told.textContent = chosen ? gleaner.fill(facet.told.dataset.says, { n: chosen }) : "";
    facet.counts.forEach(function (element, token) {
      var count = counts.get(token) || { n: 0, m: 0 };
      var text = gleaner.fill(count.m && facet.told ? "{n} + {m}" : "{n}", count);
      if (element.textContent !== text) element.textContent = text;
    });
  }

  // A finding is shown if it matches, if its cause does, or if something in it is shown; of a card that is shown for what
  // is in it only, what is of its first finding alone is left out.
  function show(active) {
    items.forEach(function (item) { item.shown = item.matched || (item.cause !== null && item.cause.matched); });
    for (var at = items.length - 1; at >= 0; at--) {
      if (items[at].shown && items[at].around) items[at].around.shown = true;
    }
    items.forEach(function (item) {
      if (!item.around) {
        hide(item.element, !item.shown);
        item.element.classList.toggle("beside", item.shown && !item.matched);
        hide(item.element.querySelector(".beside-lead"), !item.shown || item.matched);
        openCard(item, item.shown && active && !item.matched);
      }
      var link = links.get(item.element.id);
      if (link) hide(link, !item.shown);
    });
    lists.forEach(function (list) { showList(list, active); });
  }

  // A card that is shown for what is in it is opened, and closed again afterwards.
  function openCard(item, open) {
    if (open && !item.element.open) item.element.open = item.opened = true;
    if (!open && item.opened) item.element.open = item.opened = false;
  }

  function hide(element, hidden) {
    if (element.hidden !== hidden) element.hidden = hidden;
  }

  function showList(list, active) {
    var shown = list.items.filter(function (item) { return item.shown; }).length;
    var some = active && shown > 0 && shown < list.items.length;
    hide(list.element, shown === 0);
    if (some) list.summary.dataset.shown = gleaner.fill(status.dataset.shown, { n: shown });
    else delete list.summary.dataset.shown;
    var open = shown > 0 && shown <= SHORT && (some || (active && !list.owner.matched));
    if (open && !list.element.open) list.element.open = list.opened = true;
    if (!open && list.opened) list.element.open = list.opened = false;
    list.settled = false;
    if (list.element.open || list.items.length <= SHORT) settle(list);
  }

  // What stands in a long list that is closed is hidden when somebody opens it: ten thousand changes take their time.
  function settle(list) {
    if (!list.settled) list.items.forEach(function (item) { hide(item.element, !item.shown); });
    list.settled = true;
  }

  function showAll() {
    search.value = "";
    facets.forEach(function (facet) { facet.boxes.forEach(function (box) { box.checked = false; }); });
    apply();
  }

  // Once for each frame, however fast somebody types.
  function soon() {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(apply);
  }

  function listen() {
    search.addEventListener("input", soon);
    form.addEventListener("change", soon);
    chips.addEventListener("change", soon);
    form.addEventListener("submit", function (event) { event.preventDefault(); });
    clear.addEventListener("click", function () {
      document.dispatchEvent(new CustomEvent("showall"));
      search.focus();
    });
    document.addEventListener("showall", showAll);
    document.addEventListener("period", function (event) {
      period = event.detail;
      soon();
    });
    document.addEventListener("settle", function () { lists.forEach(settle); });
    document.addEventListener("toggle", function (event) {
      lists.forEach(function (list) { if (list.element === event.target) settle(list); });
    }, true);
    document.addEventListener("keydown", shortcut);
    addEventListener("hashchange", read);
  }

  function shortcut(event) {
    var at = document.activeElement;
    if (event.key === "Escape" && (form.contains(at) || chips.contains(at))) document.dispatchEvent(new CustomEvent("showall"));
    var typing = /^(TEXTAREA|SELECT)$/.test(at.tagName) || (at.tagName === "INPUT" && at.type !== "checkbox");
    if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    form.closest("details").open = true;
    search.focus();
  }

  function state() {
    var params = new URLSearchParams();
    facets.forEach(function (facet) {
      chosen(facet).forEach(function (box) { params.append(box.name, box.value); });
    });
    if (search.value) params.append("q", search.value);
    return params.toString();
  }

  // Browsers allow some hundred changes of the address a minute, so it follows when typing rests.
  function save() {
    clearTimeout(saving);
    saving = setTimeout(function () {
      var text = state();
      if (text) history.replaceState(null, "", "#?" + text);
      else if (location.hash.startsWith("#?")) history.replaceState(null, "", "#");
    }, 250);
  }

  // Takes the filters of the address; a link to a place leaves them as they are.
  function read() {
    if (!location.hash.startsWith("#?")) {
      if (search.value || facets.some(function (facet) { return chosen(facet).length; })) apply();
      return;
    }
    var params = new URLSearchParams(location.hash.slice(2));
    search.value = params.get("q") || "";
    facets.forEach(function (facet) {
      facet.boxes.forEach(function (box) { box.checked = params.getAll(box.name).includes(box.value); });
      if (facet.told && chosen(facet).length) facet.told.closest("details").open = true;
    });
    apply();
  }
})();
