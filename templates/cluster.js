// Rows of the map by words and problems, and the width of the time axis.
(function () {
  "use strict";

  var words = document.getElementById("map-search");
  var problems = document.getElementById("map-problems");
  var plot = document.querySelector(".plot > svg");
  var width = 1;

  if (words) mapFilter();
  if (plot) zooming();

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

  function zooming() {
    document.querySelector(".zoom").addEventListener("click", function (event) {
      var button = event.target.closest("button");
      if (!button) return;
      if (button.dataset.last) last(Number(button.dataset.last));
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
})();
