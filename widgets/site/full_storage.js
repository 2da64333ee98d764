/**
 * A browser whose storage is full throws wherever something is stored, in the theme's scripts, too. Here a page says so
 * once, and goes on.
 */
(() => {
  const { setItem } = Storage.prototype;
  let said = false;
  const say = () => {
    const line = document.createElement("p");
    line.className = "alert alert-warning storage-full";
    line.setAttribute("role", "alert");
    line.textContent =
      "Your browser's storage is full: this page works, but your browser will forget its settings when you leave.";
    (document.querySelector(".bd-article") ?? document.body).prepend(line);
  };
  Storage.prototype.setItem = function (...entry) {
    try {
      setItem.apply(this, entry);
    } catch {
      if (said) return;
      said = true;
      if (document.readyState === "loading") addEventListener("DOMContentLoaded", say);
      else say();
    }
  };
})();
