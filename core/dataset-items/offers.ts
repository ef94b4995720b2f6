// What other areas do with items of datasets.
export { columnsOf } from './reading.js';
