"use strict";
(() => {
  const plies = JSON.parse(document.getElementById("plies").textContent);
  const board = document.querySelector(".board svg.chuhe-diagram");
  const names = { k: "king", a: "advisor", b: "elephant", n: "horse", r: "rook", c: "cannon", p: "pawn" };
  const svg = "http://www.w3.org/2000/svg";
  const layer = board.appendChild(document.createElementNS(svg, "g"));
  const use = (id, x, y) => {
    const element = document.createElementNS(svg, "use");
    element.setAttribute("href", "#" + id);
    element.setAttribute("x", x);
    element.setAttribute("y", y);
    layer.appendChild(element);
  };
  const setText = (name, text) => {
    const element = document.querySelector(".details ." + name);
    element.textContent = text;
    element.hidden = text === "";
  };
  let shown = -1;
  const show = (ply) => {
    shown = Math.max(0, Math.min(plies.length - 1, ply));
    const at = plies[shown];
    layer.replaceChildren();
    if (at.last) use("chuhe-origin", at.last[0], at.last[1]);
    at.board.split("/").forEach((row, y) => {
      let x = 0;
      for (const letter of row) {
        if (letter >= "1" && letter <= "9") { x += Number(letter); continue; }
        const small = letter.toLowerCase();
        use("chuhe-" + (letter === small ? "black-" : "red-") + names[small], x * 100, y * 100);
        x += 1;
      }
    });
    if (at.last) use("chuhe-target", at.last[2], at.last[3]);
    if (at.arrow) {
      const arrow = document.createElementNS(svg, "path");
      arrow.setAttribute("d", at.arrow);
      arrow.setAttribute("class", "chuhe-arrow");
      arrow.setAttribute("fill", "#2061a8");
      arrow.setAttribute("fill-opacity", ".8");
      layer.appendChild(arrow);
    }
    for (const name of ["what", "remark", "judgement", "score", "line"]) setText(name, at[name]);
    for (const old of document.querySelectorAll(".here")) old.classList.remove("here");
    for (const link of document.querySelectorAll('a[href="#ply=' + shown + '"]')) {
      link.classList.add("here");
      const list = link.closest(".scroll");
      if (list) list.scrollTop = link.offsetTop - list.clientHeight / 2;
    }
  };
  const go = (ply) => {
    history.replaceState(null, "", "#ply=" + Math.max(0, Math.min(plies.length - 1, ply)));
    show(ply);
  };
  const requestedPly = () => {
    const found = /^#ply=(\d+)$/.exec(location.hash);
    return found ? Number(found[1]) : 0;
  };
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#ply="]');
    if (!link) return;
    event.preventDefault();
    go(Number(link.getAttribute("href").slice(5)));
  });
  document.querySelectorAll(".buttons button").forEach((button, index) => {
    button.addEventListener("click", () => go([0, shown - 1, shown + 1, plies.length - 1][index]));
  });
  document.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: shown - 1, ArrowRight: shown + 1, Home: 0, End: plies.length - 1 }[event.key];
    if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    go(to);
  });
  window.addEventListener("hashchange", () => show(requestedPly()));
  show(requestedPly());
})();
