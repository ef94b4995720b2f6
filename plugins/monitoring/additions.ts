// What came after an event, as it is stored: late labels, and further fields.
import type { PluginRow } from '#ports/plugin-tables';
import type { Value, Values } from './items.js';

/** The day under which additions wait whose event is not there. */
export const pendingDay = -1;

export const toValues = (text: unknown): Values =>
  new Map(
    Object.entries(
      (typeof text === 'string' ? JSON.parse(text) : {}) as Readonly<Record<string, Value>>, // written by fromValues
    ),
  );
export const fromValues = (values: Values): string => JSON.stringify(Object.fromEntries(values));

/** The values of an addition row, by column. */
export const additionValues = (row: PluginRow): Values => toValues(row['content']);

export const isLabelColumn = (column: string): boolean => column.startsWith('label_');
