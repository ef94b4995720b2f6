import { pino, type DestinationStream } from 'pino';
import type { Log } from '#ports/log';

/** Names of members that never reach the log, wherever they stand. */
const secretNames: ReadonlySet<string> = new Set([
  ...['apiKey', 'api_key', 'authorization', 'password', 'secret', 'token', 'cookie'],
]);

const [textAtMost, itemsAtMost, depthAtMost] = [2000, 50, 5];

/** A value as it may be logged: no secret, and nothing long, so that no user's text fills the log, whatever carries it there. */
const cut = (value: unknown, left = depthAtMost): unknown => {
  if (typeof value === 'string')
    return value.length > textAtMost
      ? `${value.slice(0, textAtMost)}… (${value.length} characters)`
      : value;
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return cut(pino.stdSerializers.err(value), left);
  if (left === 0) return '…';
  if (Array.isArray(value)) return value.slice(0, itemsAtMost).map((item) => cut(item, left - 1));
  return Object.fromEntries(
    Object.entries(value)
      .slice(0, itemsAtMost)
      .map(([name, item]) => [name, secretNames.has(name) ? '…' : cut(item, left - 1)]),
  );
};

interface Destination extends DestinationStream {
  flush?(): void;
}

const facts = (given: Readonly<Record<string, unknown>> | undefined): object => {
  if (given === undefined) return {};
  const { error, ...rest } = given;
  return cut('error' in given ? { ...rest, err: error } : rest) as object; // an object stays one
};

const [bufferCharacters, flushMs] = [4096, 50];

/**
 * Standard error, written to at most every 50 ms where little comes: a system call for each line would be a tenth of what a small request costs. Faults
 * go out at once, and all of it when the process ends.
 */
const bufferedError = (): Destination => {
  const to = pino.destination({ fd: 2, sync: false, minLength: bufferCharacters });
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    to.flush();
  };
  return {
    write(line) {
      to.write(line);
      timer ??= setTimeout(flush, flushMs).unref();
    },
    flush,
  };
};
let opened: Destination | undefined;
/** One for all logs of the process, so that their lines keep their order. */
const standardError = (): Destination => (opened ??= bufferedError());

/** One JSON line per call on standard error, so that standard output is the program's own; or wherever else it is told to go. */
export const systemLog = (level: string, to: Destination = standardError()): Log => {
  const logger = pino(
    {
      level,
      base: null,
      serializers: { err: (made: unknown) => made },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    to,
  );
  return {
    error: (sentence, given) => {
      logger.error(facts(given), sentence);
      to.flush?.();
    },
    warn: (sentence, given) => {
      logger.warn(facts(given), sentence);
      to.flush?.();
    },
    info: (sentence, given) => {
      logger.info(facts(given), sentence);
    },
    debug: (sentence, given) => {
      logger.debug(facts(given), sentence);
    },
  };
};
