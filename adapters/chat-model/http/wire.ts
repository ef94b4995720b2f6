// What differs between the wires of providers. Everything about requests themselves is in `http-model.ts`.
import type { ChatChunk, ChatCompletion, ChatRequest, ChatTarget } from '#ports/chat-model';

/** A request as a provider takes it. */
export interface WireRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** What a fault inside an answer that began well says. */
export interface WireFault {
  readonly status: number | undefined;
  readonly message: string;
}

/** What is told of the answer besides its chunks. */
export interface StreamReader {
  /** The chunks that an event stands for, which may be none. */
  read(event: unknown): readonly ChatChunk[] | WireFault;
  /** What comes behind the last event. */
  finish(): readonly ChatChunk[];
  /** Whether the model has said all. */
  isDone(): boolean;
}

export interface AnswerNeeds {
  readonly request: ChatRequest;
  /** Seconds since the epoch. */
  readonly now: number;
}

export interface Wire {
  readonly name: string;
  /** Throws `Unsupported` for what this wire has no words for. */
  write(request: ChatRequest, target: ChatTarget, streams: boolean): WireRequest;
  /** `undefined` for what is no answer of this wire. */
  read(answer: unknown, needs: AnswerNeeds): ChatCompletion | WireFault | undefined;
  reader(needs: AnswerNeeds): StreamReader;
}

export const isFault = (read: object): read is WireFault => 'message' in read;

/** What a request asks for that a wire cannot say; the message is one sentence. */
export class Unsupported extends Error {}

/** The sentence of an error, as the three wires and those that resemble them have it; `undefined` where there is none. */
export const errorIn = (answer: unknown): WireFault | undefined => {
  const whole = Array.isArray(answer) ? (answer[0] as unknown) : answer;
  if (typeof whole !== 'object' || whole === null) return undefined;
  const { error, message, detail } = whole as Readonly<Record<string, unknown>>; // any object can be read by name
  if (typeof error === 'object' && error !== null) {
    const inner = error as Readonly<Record<string, unknown>>; // as above
    const status = [inner['code'], inner['status']].find(
      (one): one is number =>
        typeof one === 'number' && Number.isInteger(one) && one >= 400 && one < 600,
    );
    return typeof inner['message'] === 'string' ? { status, message: inner['message'] } : undefined;
  }
  const said = [error, message, detail].find((one) => typeof one === 'string' && one !== '');
  return typeof said === 'string' ? { status: undefined, message: said } : undefined;
};
