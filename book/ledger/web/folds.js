/** Opens the fold that the address leads to, and all on paper but the runs. */
const openTarget = () => {
  const target = document.getElementById(location.hash.slice(1));
  for (let fold = target?.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
  if (target?.matches("details")) target.scrollIntoView();
};
addEventListener("hashchange", openTarget);
addEventListener("DOMContentLoaded", openTarget);
const onPaper = "details:is(.erratum, .boxes, :not([class]))";
addEventListener("beforeprint", () => document.querySelectorAll(onPaper).forEach((fold) => { fold.open = true; }));
