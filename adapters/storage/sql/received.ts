// Requests that were stored within the hour, so that one that is sent again is known.
import { idOf } from './connection.js';

/** The id under which a request is noted, from its digest: half of a hash in half of its digits, since a row and two entries of indexes are written with every request. */
export const requestIdOf = <D extends string | undefined>(digest: D): D | string =>
  digest === undefined ? digest : idOf(digest);
