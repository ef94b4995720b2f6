import { Failure } from '#ports/failure';

/** Bytes of long texts that one reply may hold: a server has no room for a hundred rows of the greatest length there is. */
const mostBytes = 128 * 1024 * 1024;

/** Refuses with `invalid` to read texts that are too much together. */
export const requireRoom = (bytes: number, most = mostBytes): void => {
  if (bytes > most)
    throw new Failure(
      'invalid',
      `the texts of these rows have ${Math.ceil(bytes / 1024 / 1024)} MiB together: ask for fewer rows at once`,
    );
};
