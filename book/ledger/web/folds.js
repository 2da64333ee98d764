/** Opens the fold that the address leads to, and all on paper but the runs. */
const openAsked = () => {
  const asked = document.getElementById(location.hash.slice(1));
  for (let fold = asked?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (asked?.matches("details")) asked.scrollIntoView();
};
addEventListener("hashchange", openAsked);
addEventListener("DOMContentLoaded", openAsked);
const onPaper = "details:is(.erratum, .boxes, :not([class]))";
addEventListener("beforeprint", () => document.querySelectorAll(onPaper).forEach((fold) => { fold.open = true; }));
