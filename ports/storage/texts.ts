import { once, reads, sets, notifies, type Methods } from './methods.js';

/** What an experiment has one of, of any length; `notes` are what people wrote about it, `error` is what its client reported with its state. */
export type TextKind = 'html' | 'code' | 'graph' | 'patch' | 'notes' | 'error';

export interface NewText {
  readonly experimentId: string;
  readonly kind: TextKind;
  /** A text is stored as UTF-8. */
  readonly content: string | Uint8Array;
  /** How many bytes the experiment may hold of this kind. */
  readonly limitBytes?: number;
}

export interface OutputLine {
  /** As it was printed, with its newline when it has one. */
  readonly text: string;
  readonly stderr: boolean;
  /** Its place; without one it follows the newest line. */
  readonly offset: number | undefined;
}

export interface OutputBatch {
  readonly experimentId: string;
  readonly lines: readonly OutputLine[];
  /** SHA-256 in hex of the request that brought it; a batch of the same experiment with the same digest is stored once. */
  readonly digest?: string;
  readonly receivedAt: number;
  /** How many bytes of output the experiment may hold; the lines behind them are left out. */
  readonly limitBytes: number;
}

/** Where a piece of output stands among those of its experiment. */
export interface OutputPlace {
  readonly run: number;
  readonly offset: number;
  readonly part: number;
}
/** Bytes that follow each other and were printed to one stream. */
export interface OutputSpan {
  readonly bytes: number;
  readonly stderr: boolean;
}
/** Some of the output: whole lines that follow each other, or a part of a long one. */
export interface OutputPiece {
  readonly place: OutputPlace;
  readonly content: Uint8Array;
  /** The content by the streams that it was printed to, in its order; neighbours differ, and none is empty. */
  readonly spans: readonly OutputSpan[];
  /** How many pieces as they were stored it is made of: all of them together are those of `OutputSize`. */
  readonly pieces: number;
}
/** The same without its content. */
export interface MeasuredOutput extends Pick<OutputPiece, 'place' | 'pieces'> {
  readonly bytes: number;
  readonly newlines: number;
  /** Whether its last byte is a newline; `undefined` where it has no bytes. */
  readonly endsLine: boolean | undefined;
}
/** How much output there is: it has changed where this has. */
export interface OutputSize {
  readonly bytes: number;
  readonly pieces: number;
}

export interface AppendedOutput {
  readonly outcome: 'stored' | 'duplicate';
  /** Whether lines were left out because the limit is reached. */
  readonly full: boolean;
}

/** Long texts and the output of experiments. Every write is stored whole or not at all, and rejects with `absent` when the experiment is gone. */
export interface TextStore {
  /** Puts a text in the place of the one that was there. Rejects with `invalid` above the limit; the old one stays then. */
  replace(text: NewText): Promise<void>;
  /** Adds to the end, with nothing in between. Rejects with `invalid` above the limit; nothing is added then. */
  append(text: NewText): Promise<void>;
  /** The text in pieces, all of one moment; `undefined` when none was ever stored. A character may lie across two pieces. */
  read(experimentId: string, kind: TextKind): Promise<readonly Uint8Array[] | undefined>;
  /**
   * Adds lines. A line whose offset the newest run of lines holds already opens a new run, and the lines behind it in the batch belong
   * to that one: runs follow each other, offsets order the lines within a run, in whatever order they arrive.
   */
  appendOutput(batch: OutputBatch): Promise<AppendedOutput>;
  /** The lines in their order, joined as they are, in pieces; a character may lie across two pieces. */
  readOutput(experimentId: string): AsyncIterable<Uint8Array>;
  /**
   * The same from behind a place on, with the place of each piece; some of them together, a few MiB at most. A place that was once given stays
   * good: what lies behind it is read from it on also when the pieces around it have been packed into one since.
   */
  readOutputFrom(
    experimentId: string,
    after: OutputPlace | undefined,
  ): AsyncIterable<readonly OutputPiece[]>;
  /** What `readOutputFrom` gives, counted: of packed pieces without reading them. */
  measureOutputFrom(
    experimentId: string,
    after: OutputPlace | undefined,
  ): AsyncIterable<readonly MeasuredOutput[]>;
  /** How much there is as it was stored, packed or not. */
  outputSize(experimentId: string): Promise<OutputSize>;
  /** The highest offset of the newest run; `undefined` without output. */
  findLastOffset(experimentId: string): Promise<number | undefined>;
  /** Lets the output that is not packed be packed soon: at the end of a run, when hardly anything more comes. Packing changes nothing that is read. */
  queuePacking(experimentIds: readonly string[]): Promise<void>;
}

export const textMethods: Methods<TextStore> = {
  replace: sets,
  append: once,
  read: reads,
  appendOutput: notifies('output', once),
  readOutput: reads,
  readOutputFrom: reads,
  measureOutputFrom: reads,
  outputSize: reads,
  findLastOffset: reads,
  queuePacking: sets,
};
