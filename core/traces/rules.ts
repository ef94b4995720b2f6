// How traces, spans, scores and comments are read and shown, for areas that bring or show them along with their own. Pure.
export { toScore } from './feedback.js';
export { mergeCreated } from './merging.js';
export { pricesFrom, type PriceList } from './prices.js';
export { readSpan, readTrace, type Writing } from './reading.js';
export { showComment, showScores } from './showing.js';
