import type { Series } from '#ports/storage/metrics';

/** A series in the wire's form of a summary: texts as they were logged. */
export const toSummary = ({ name, context, min, max, last }: Series) => ({
  name,
  valueMax: max.text,
  valueMin: min.text,
  valueCurrent: last.text,
  timestampMax: max.timestamp,
  timestampMin: min.timestamp,
  timestampCurrent: last.timestamp,
  runContextMax: context ?? null,
  runContextMin: context ?? null,
  runContextCurrent: context ?? null,
  stepMax: max.step ?? null,
  stepMin: min.step ?? null,
  stepCurrent: last.step ?? null,
  editable: false,
});
