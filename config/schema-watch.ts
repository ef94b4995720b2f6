// The schema may change beneath a running server: taken back, or changed by a newer release.
import type { SchemaGap } from '#adapters/storage/sql/migrate';

export interface SchemaWatch {
  /** What keeps this release from working with the schema, in one sentence; asks the database. */
  look(): Promise<string | undefined>;
  /** The same as of the last look; costs nothing. */
  fault(): string | undefined;
}

const describe = ({ missing, newer }: SchemaGap): string | undefined => {
  if (missing > 0)
    return `the schema of the database lacks ${missing} ${missing === 1 ? 'change' : 'changes'} of this release`;
  return newer.length > 0
    ? `a newer release has changed the schema of the database (${newer[0] ?? ''}): replace this server by that release`
    : undefined;
};

export const watchSchema = ({ gap }: { gap(): Promise<SchemaGap> }): SchemaWatch => {
  let fault: string | undefined;
  return {
    async look() {
      fault = describe(await gap());
      return fault;
    },
    fault: () => fault,
  };
};
