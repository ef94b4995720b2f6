// What other areas do with items of datasets.
export { columnsOf, keepMakers, readItem, type SentItem } from './reading.js';
