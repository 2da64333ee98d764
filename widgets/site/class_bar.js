/** During a class every page has its bar: one without figures, which has no runtime, loads the script of a class itself. */
addEventListener("load", () => {
  const options = new URLSearchParams(location.hash.slice(2));
  const [code, key] = ["class", "key"].map((name) => options.get(name) ?? "");
  const isIn = location.protocol.startsWith("http") && (code || sessionStorage.getItem("fim-class"));
  if (!isIn || window.factsRuntime) return;
  const script = document.createElement("script");
  script.src = `${document.documentElement.dataset.content_root}_static/classroom.js`;
  script.addEventListener("load", () => window.factsClassroom?.joinClass(code, key));
  document.head.append(script);
});
