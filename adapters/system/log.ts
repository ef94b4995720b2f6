import { pino, type DestinationStream } from 'pino';
import type { Log } from '#ports/log';

/** Names of members that never reach the log, wherever they stand. */
const secretNames = ['apiKey', 'api_key', 'authorization', 'password', 'secret', 'token', 'cookie'];

const facts = (given: Readonly<Record<string, unknown>> | undefined) => (given === undefined ? {} : 'error' in given ? { ...given, error: undefined, err: given['error'] } : given);

const standardError = (): DestinationStream => pino.destination({ fd: 2, sync: false });

/** One JSON line per call on standard error, so that standard output is the program's own; or wherever else it is told to go. */
export const systemLog = (level: string, to: DestinationStream = standardError()): Log => {
  const logger = pino({ level, base: null, redact: { paths: [...secretNames, ...secretNames.map((name) => `*.${name}`)], censor: '…' }, timestamp: pino.stdTimeFunctions.isoTime }, to);
  return {
    error: (sentence, given) => { logger.error(facts(given), sentence); },
    warn: (sentence, given) => { logger.warn(facts(given), sentence); },
    info: (sentence, given) => { logger.info(facts(given), sentence); },
    debug: (sentence, given) => { logger.debug(facts(given), sentence); },
  };
};
