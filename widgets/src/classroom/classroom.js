/** What only a class needs: slides, and the maker of links. A script of its own, which the runtime loads when asked. */

import { openLinkMaker } from "./link_maker.js";
import { present } from "./slides.js";

window.factsClassroom = { forClass: openLinkMaker, present };
