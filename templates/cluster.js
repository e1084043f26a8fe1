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

  // Keeps what is in the middle there; at first that is the end, where trouble usually is.
  function zoom(factor) {
    var view = plot.parentElement;
    var middle = width > 1 ? (view.scrollLeft + view.clientWidth / 2) / view.scrollWidth : 1;
    width = Math.min(32, Math.max(1, width * factor));
    plot.setAttribute("width", width * 100 + "%");
    plot.classList.toggle("fine", width >= 4);
    view.scrollLeft = middle * view.scrollWidth - view.clientWidth / 2;
  }

  function zooming() {
    document.querySelector(".zoom").addEventListener("click", function (event) {
      var button = event.target.closest("button");
      if (button) zoom(button.dataset.zoom === "in" ? 2 : 0.5);
    });
    plot.parentElement.addEventListener("keydown", function (event) {
      if (event.key === "+" || event.key === "=") zoom(2);
      if (event.key === "-") zoom(0.5);
    });
    addEventListener("beforeprint", function () { plot.setAttribute("width", "100%"); });
    addEventListener("afterprint", function () { zoom(1); });
  }
})();
