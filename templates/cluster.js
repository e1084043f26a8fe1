// Rows of the map by words and problems, the width of the time axis, and what is of a period of it only.
(function () {
  "use strict";

  var words = document.getElementById("map-search");
  var problems = document.getElementById("map-problems");
  var plot = document.querySelector(".plot > svg");
  var width = 1;

  if (words) mapFilter();
  if (plot) {
    zooming();
    selecting();
  }

  function mapFilter() {
    var rows = Array.from(document.querySelectorAll("table.map .row"));
    var texts = rows.map(function (row) { return row.textContent.toLowerCase(); });
    var status = document.querySelector(".rows-shown");

    function filter() {
      var wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
      var shown = 0;
      rows.forEach(function (row, at) {
        var trouble = row.classList.contains("bad") || row.classList.contains("warn");
        var fits = wanted.every(function (word) { return texts[at].includes(word); });
        row.hidden = !fits || (problems.checked && !trouble);
        if (!row.hidden) shown += 1;
      });
      status.textContent = shown < rows.length ? gleaner.fill(status.dataset.says, { n: shown, all: rows.length }) : "";
    }

    words.addEventListener("input", filter);
    problems.addEventListener("change", filter);
    words.form.addEventListener("submit", function (event) { event.preventDefault(); });
    // Browsers put old field values back when a page is reloaded.
    filter();
  }

  function widen(times) {
    width = Math.min(32, Math.max(1, times));
    plot.setAttribute("width", width * 100 + "%");
    plot.classList.toggle("fine", width >= 4);
  }

  // Keeps what is at a place of the view there: where the pointer is, otherwise in the middle; at first that is the end, where trouble
  // usually is.
  function zoom(factor, at) {
    var view = plot.parentElement;
    var offset = at === undefined ? view.clientWidth / 2 : at;
    var share = width > 1 || at !== undefined ? (view.scrollLeft + offset) / view.scrollWidth : 1;
    widen(width * factor);
    view.scrollLeft = share * view.scrollWidth - offset;
  }

  // The last hours before the bundle was collected, or before the end of the axis.
  function last(hours) {
    var view = plot.parentElement;
    var collected = plot.querySelector(".collected line");
    var end = collected ? parseFloat(collected.getAttribute("x1")) / 100 : 1;
    widen(plot.dataset.hours / hours);
    view.scrollLeft = end * view.scrollWidth - view.clientWidth + 40;
  }

  // The first cause with three times its length around it, six hours at least.
  function aroundCause() {
    var mark = plot.querySelector(".cause rect, .cause line:not(.ground)");
    if (!mark) return;
    var view = plot.parentElement;
    var from = parseFloat(mark.getAttribute("x") || mark.getAttribute("x1")) / 100;
    var length = parseFloat(mark.getAttribute("width") || 0) / 100;
    widen(1 / Math.max(3 * length, 6 / plot.dataset.hours));
    view.scrollLeft = (from + length / 2) * view.scrollWidth - view.clientWidth / 2;
  }

  function zooming() {
    document.querySelector(".zoom").addEventListener("click", function (event) {
      var button = event.target.closest("button");
      if (!button) return;
      if (button.dataset.last) last(Number(button.dataset.last));
      else if ("around" in button.dataset) aroundCause();
      else if ("select" in button.dataset) selectShown();
      else zoom(button.dataset.zoom === "in" ? 2 : 0.5);
    });
    // The wheel alone scrolls the page.
    plot.parentElement.addEventListener("wheel", function (event) {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      zoom(event.deltaY < 0 ? 1.25 : 0.8, event.clientX - plot.parentElement.getBoundingClientRect().left);
    }, { passive: false });
    plot.parentElement.addEventListener("keydown", function (event) {
      if (event.key === "+" || event.key === "=") zoom(2);
      if (event.key === "-") zoom(0.5);
    });
    addEventListener("beforeprint", function () { plot.setAttribute("width", "100%"); });
    addEventListener("afterprint", function () { zoom(1); });
  }

  // Share of the axis at a place of the window.
  function shareAt(x) {
    var box = plot.getBoundingClientRect();
    return Math.min(1, Math.max(0, (x - box.left) / box.width));
  }

  function selectShown() {
    var box = plot.parentElement.getBoundingClientRect();
    select(shareAt(box.left), shareAt(box.right));
  }

  function secondsAt(share) {
    var begins = Number(plot.dataset.begins);
    return begins + share * (Number(plot.dataset.ends) - begins);
  }

  function inWords(seconds) {
    return new Date(seconds * 1000).toISOString().slice(0, 16).replace("T", " ");
  }

  function mark(from, to) {
    var chosen = plot.querySelector(".chosen");
    chosen.setAttribute("x", Math.min(from, to) * 100 + "%");
    chosen.setAttribute("width", Math.abs(to - from) * 100 + "%");
    chosen.toggleAttribute("hidden", from === to);
  }

  // Findings are hidden by the filters, everything else with a time is here.
  function select(from, to) {
    mark(from, to);
    show({ from: Math.floor(secondsAt(Math.min(from, to))), to: Math.ceil(secondsAt(Math.max(from, to))) });
  }

  function show(period) {
    var line = document.querySelector(".period");
    var says = line.firstElementChild;
    line.hidden = !period;
    says.textContent = period ? gleaner.fill(says.dataset.says, { from: inWords(period.from), to: inWords(period.to) }) : "";
    document.querySelectorAll("[data-at]:not(.card, .finding)").forEach(function (element) {
      element.hidden = Boolean(period) && !gleaner.isWithin(element, period);
    });
    document.dispatchEvent(new CustomEvent("period", { detail: period }));
  }

  function selectAll() {
    mark(0, 0);
    show(null);
  }

  function selecting() {
    var from = null;
    document.querySelector(".period button").addEventListener("click", selectAll);
    document.addEventListener("showall", selectAll);
    plot.addEventListener("pointerdown", function (event) {
      // A finger scrolls.
      if (event.button !== 0 || event.pointerType === "touch") return;
      from = shareAt(event.clientX);
      plot.setPointerCapture(event.pointerId);
      event.preventDefault();
      plot.parentElement.focus();
    });
    plot.addEventListener("pointermove", function (event) {
      if (from !== null) mark(from, shareAt(event.clientX));
    });
    plot.addEventListener("pointerup", function (event) {
      if (from === null) return;
      var to = shareAt(event.clientX);
      var moved = Math.abs(to - from) * plot.getBoundingClientRect().width;
      if (moved >= 4) select(from, to);
      else selectAll();
      from = null;
    });
    plot.addEventListener("pointercancel", function () { from = null; });
  }
})();
