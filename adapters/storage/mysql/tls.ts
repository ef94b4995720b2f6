// How the address of a MySQL or MariaDB database asks for TLS, in the words of the engines' own clients.
import { readFileSync } from 'node:fs';
import { Failure } from '#ports/failure';

/** What the driver takes; `undefined` speaks in the clear. */
export interface MysqlTls {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
  readonly rejectUnauthorized: boolean;
  readonly verifyIdentity?: boolean;
}

const fileOf = (name: string, path: string): string => {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new Failure(
      'invalid',
      `${name} in the address of the database names ${path}, which cannot be read`,
      { cause },
    );
  }
};

/**
 * Reads `ssl-mode` (or `sslmode`), `ssl-ca`, `ssl-cert`, `ssl-key` and `ssl=true`. `PREFERRED` is taken as `REQUIRED`, since falling back to clear text
 * in silence protects nobody. Rejects with `invalid` for a file that cannot be read.
 */
export const readTls = (parameters: URLSearchParams): MysqlTls | undefined => {
  const given = (parameters.get('ssl-mode') ?? parameters.get('sslmode'))?.toUpperCase();
  const asked =
    ['true', '1'].includes(parameters.get('ssl') ?? '') ||
    parameters.has('ssl-ca') ||
    parameters.has('ssl-cert');
  const mode =
    given ?? (asked ? (parameters.has('ssl-ca') ? 'VERIFY_CA' : 'REQUIRED') : 'DISABLED');
  if (mode === 'DISABLED') return undefined;
  const files = (['ca', 'cert', 'key'] as const).flatMap((name) => {
    const path = parameters.get(`ssl-${name}`);
    return path === null ? [] : [[name, fileOf(`ssl-${name}`, path)] as const];
  });
  return {
    ...Object.fromEntries(files),
    rejectUnauthorized: mode.startsWith('VERIFY'),
    ...(mode === 'VERIFY_IDENTITY' ? { verifyIdentity: true } : {}),
  };
};
