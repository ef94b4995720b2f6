// Where the lines of an output begin, every MiB or so: counted once for each output that is looked at, and further as it grows.
import type { OutputPlace, OutputSize, TextStore } from '#ports/storage/texts';

interface Mark {
  /** `undefined` is the beginning. */
  readonly place: OutputPlace | undefined;
  /** Newlines, and pieces, up to this place. */
  readonly newlines: number;
  readonly pieces: number;
  /** Whether a line begins behind it. */
  readonly endsLine: boolean;
}

export interface LineIndex {
  readonly total: number;
  /** The nearest place from which a line is read whole, and the number of the line in which it is. */
  before(line: number): { readonly place: OutputPlace | undefined; readonly line: number };
}

const beginning: Mark = { place: undefined, newlines: 0, pieces: 0, endsLine: true };
/** Bytes between two marks. */
const apart = 1024 * 1024;
/** Outputs that are remembered. */
const most = 200;

interface Counted {
  readonly size: OutputSize;
  readonly marks: readonly Mark[];
  readonly last: Mark;
}

type Texts = Pick<TextStore, 'outputSize' | 'measureOutputFrom'>;

/** Counts what is behind the last place that was counted. */
const countOn = async (
  texts: Texts,
  experimentId: string,
  size: OutputSize,
  known: Pick<Counted, 'marks' | 'last'>,
): Promise<Counted> => {
  const marks = [...known.marks];
  let { last } = known;
  let since = 0;
  for await (const some of texts.measureOutputFrom(experimentId, last.place)) {
    for (const { place, bytes, newlines, pieces, endsLine } of some) {
      last = {
        place,
        newlines: last.newlines + newlines,
        pieces: last.pieces + pieces,
        endsLine: endsLine ?? last.endsLine,
      };
      since += bytes;
      if (since >= apart) {
        marks.push(last);
        since = 0;
      }
    }
  }
  return { size, marks, last };
};

const toIndex = ({ marks, last }: Counted): LineIndex => ({
  total: last.newlines + (last.endsLine ? 0 : 1),
  before(line) {
    // Behind a place within a line, that line is not whole: it must be one before the wanted one.
    const isBefore = ({ newlines, endsLine }: Mark) => newlines < (endsLine ? line : line - 1);
    const mark = marks.findLast(isBefore) ?? beginning;
    return { place: mark.place, line: mark.newlines + 1 };
  },
});

/** Reads what an output's lines are. */
export const createLineIndexes = (texts: Texts) => {
  const known = new Map<string, Counted>();
  return async (experimentId: string): Promise<LineIndex> => {
    const size = await texts.outputSize(experimentId);
    const before = known.get(experimentId);
    if (before?.size.bytes === size.bytes && before.size.pieces === size.pieces)
      return toIndex(before);
    let counted = await countOn(
      texts,
      experimentId,
      size,
      before ?? { marks: [beginning], last: beginning },
    );
    // What came in between older lines was not counted with what is behind them.
    if (before !== undefined && counted.last.pieces < size.pieces)
      counted = await countOn(texts, experimentId, size, { marks: [beginning], last: beginning });
    known.delete(experimentId);
    known.set(experimentId, counted);
    const [oldest] = known.keys();
    if (known.size > most && oldest !== undefined) known.delete(oldest);
    return toIndex(counted);
  };
};
