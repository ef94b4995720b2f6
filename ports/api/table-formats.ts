/** Forms in which tables are exported. */
export const tableFormats = ['csv', 'jsonl', 'parquet'] as const;
export type TableFormat = (typeof tableFormats)[number];
