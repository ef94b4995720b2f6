// What a server sends to Postgres, counted in what it writes to its sockets, whatever driver does that.
import { Socket } from 'node:net';

export interface Sent {
  /** Statements, those that begin and end transactions included. */
  readonly statements: number;
  /** Times that a connection with nothing under way was sent something: what follows without waiting adds nothing. */
  readonly turns: number;
  /** The beginnings of the newest statements, oldest first. */
  readonly newest: readonly string[];
}

type Write = (this: Socket, ...args: unknown[]) => boolean;

const remembered = 60;
const shown = 160;
/** A letter for what a message is, and its length, which counts itself. */
const [headBytes, lengthAt] = [5, 1];
const sentLetters = 'QPBDECSHdcfpX';

interface Message {
  readonly letter: string;
  readonly body: Buffer;
}

/** The messages of which some bytes are made, as the protocol of Postgres has them; none where they are anything else. */
export const messagesIn = (bytes: Buffer): readonly Message[] => {
  const messages: Message[] = [];
  let at = 0;
  while (at + headBytes <= bytes.length) {
    const letter = String.fromCharCode(bytes[at] ?? 0);
    const end = at + 1 + bytes.readUInt32BE(at + lengthAt);
    if (!sentLetters.includes(letter) || end < at + headBytes || end > bytes.length) return [];
    messages.push({ letter, body: bytes.subarray(at + headBytes, end) });
    at = end;
  }
  return at === bytes.length ? messages : [];
};

/** Tells of each message that comes with that letter, in whatever pieces it comes. */
const hearing = (letter: string, heard: () => void): ((piece: Buffer) => void) => {
  let [left, head] = [0, Buffer.alloc(0)];
  return (piece) => {
    let rest = piece;
    while (rest.length > 0) {
      if (left > 0) {
        const taken = Math.min(left, rest.length);
        left -= taken;
        rest = rest.subarray(taken);
        continue;
      }
      const wanted = headBytes - head.length;
      head = Buffer.concat([head, rest.subarray(0, wanted)]);
      rest = rest.subarray(wanted);
      if (head.length < headBytes) return;
      left = head.readUInt32BE(lengthAt) - (headBytes - 1);
      if (String.fromCharCode(head[0] ?? 0) === letter) heard();
      head = Buffer.alloc(0);
    }
  };
};

const textOf = ({ letter, body }: Message): string => {
  const from = letter === 'P' ? body.indexOf(0) + 1 : 0; // the name of a statement comes first
  return body.toString('utf8', from, from + shown).split('\0')[0] ?? '';
};

/** Counts from now on, in every connection of this process. */
export const countStatements = (): (() => Sent) => {
  const waitingFor = new WeakMap<Socket, { answers: number }>();
  const newest: string[] = [];
  let [statements, turns] = [0, 0];

  const stateOf = (socket: Socket): { answers: number } => {
    const known = waitingFor.get(socket);
    if (known !== undefined) return known;
    const state = { answers: 0 };
    waitingFor.set(socket, state);
    socket.on(
      'data',
      hearing('Z', () => {
        state.answers = Math.max(0, state.answers - 1);
      }),
    );
    return state;
  };
  const count = (socket: Socket, messages: readonly Message[]): void => {
    const state = stateOf(socket);
    for (const message of messages) {
      const { letter } = message;
      if (letter === 'Q' || letter === 'P') newest.push(textOf(message));
      if (newest.length > remembered) newest.shift();
      if (letter === 'Q' || letter === 'E') statements++;
      if (letter !== 'Q' && letter !== 'S') continue;
      if (state.answers === 0) turns++;
      state.answers++;
    }
  };
  const prototype = Socket.prototype as unknown as { write: Write }; // one of its overloads, which are all passed on
  const { write } = prototype;
  prototype.write = function (...args) {
    const [piece] = args;
    const bytes = Buffer.isBuffer(piece) ? piece : undefined;
    const messages = bytes === undefined ? [] : messagesIn(bytes);
    if (messages.length > 0) count(this, messages);
    return write.apply(this, args);
  };
  return () => ({ statements, turns, newest: [...newest] });
};
