import { pino, type DestinationStream } from 'pino';
import type { Log } from '#ports/log';

/** Names of members that never reach the log, wherever they stand. */
const secretNames = ['apiKey', 'api_key', 'authorization', 'password', 'secret', 'token', 'cookie'];

const [textAtMost, itemsAtMost, depthAtMost] = [2000, 50, 5];

/** A value as it may be logged: nothing long, so that no user's text fills the log, whatever carries it there. */
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
      .map(([name, item]) => [name, cut(item, left - 1)]),
  );
};

const facts = (given: Readonly<Record<string, unknown>> | undefined): object => {
  if (given === undefined) return {};
  const { error, ...rest } = given;
  return cut('error' in given ? { ...rest, err: error } : rest) as object; // an object stays one
};

const standardError = (): DestinationStream => pino.destination({ fd: 2, sync: false });

/** One JSON line per call on standard error, so that standard output is the program's own; or wherever else it is told to go. */
export const systemLog = (level: string, to: DestinationStream = standardError()): Log => {
  const logger = pino(
    {
      level,
      base: null,
      serializers: { err: (made: unknown) => made },
      redact: { paths: [...secretNames, ...secretNames.map((name) => `*.${name}`)], censor: '…' },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    to,
  );
  return {
    error: (sentence, given) => {
      logger.error(facts(given), sentence);
    },
    warn: (sentence, given) => {
      logger.warn(facts(given), sentence);
    },
    info: (sentence, given) => {
      logger.info(facts(given), sentence);
    },
    debug: (sentence, given) => {
      logger.debug(facts(given), sentence);
    },
  };
};
