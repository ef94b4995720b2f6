// Whether this process can serve, and why not.
import { isFailure } from '#ports/failure';
import type { Readiness } from '#ports/readiness';
import { type OpenedStorage } from './drivers.js';
import { type SchemaWatch } from './schema-watch.js';

export const readinessOf = (opened: OpenedStorage, schema: SchemaWatch): Readiness => {
  let [starting, ending] = [true, false];
  return {
    async fault() {
      if (starting) return 'the server is starting';
      if (ending) return 'the server is stopping';
      if (opened.state() !== 'running') return `the embedded database is ${opened.state()}`;
      try {
        await opened.storage.check();
        return await schema.look();
      } catch (thrown) {
        return isFailure(thrown) ? thrown.message : 'the database does not answer as it should';
      }
    },
    refusal: () =>
      opened.state() === 'disk full' ? 'the disk of the database is full' : schema.fault(),
    started() {
      starting = false;
    },
    stopping() {
      ending = true;
    },
  };
};
