/**
 * What only a class needs: slides, the maker of links, and the room of a class that is held. A script of its own, which
 * the runtime loads when asked.
 */

import { askForPrediction, drawnQuestion } from "./collect.js";
import { openLinkMaker } from "./link_maker.js";
import { joinClass } from "./room.js";
import { present } from "./slides.js";

window.factsClassroom = { forClass: openLinkMaker, present, joinClass, askForPrediction, drawnAnswers: drawnQuestion };
