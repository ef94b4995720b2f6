// A dozen lines over inversify: needs by name, one instance of each.
import 'reflect-metadata';
import { Container } from 'inversify';
import type { Resolved, Needs, Port } from '#ports/port';
import { narrowStorage, Storage, storesNamedBy } from '#ports/storage/storage';

export type Bind = Container['bind'];

/** Says how a port is made from others. It is made once, when it is first asked for. */
export const provide = <T, N extends Needs>(
  container: Container,
  to: Port<T>,
  needs: N,
  make: (resolved: Resolved<N>) => T | Promise<T>,
): void => {
  const names = Object.keys(needs);
  container
    .bind<T>(to)
    .toResolvedValue(
      (...resolved: unknown[]) =>
        make(
          Object.fromEntries(names.map((name, i) => [name, resolved[i]])) as Resolved<N>,
        ) as never,
      Object.values(needs) as never,
    )
    .inSingletonScope(); // the names and ports of `needs` pair up; inversify's tuple types cannot say so
};

/** What stands for a port; for a part of the storage, that part. */
export const resolvePort = async (container: Container, port: Port<unknown>): Promise<unknown> => {
  const stores = storesNamedBy(port);
  return stores === undefined
    ? container.getAsync(port)
    : narrowStorage(await container.getAsync(Storage), stores);
};

/** Everything that a table of needs asks for. Rejects when a port is not bound, with its name. */
export const resolveNeeds = async <N extends Needs>(
  container: Container,
  needs: N,
): Promise<Resolved<N>> =>
  Object.fromEntries(
    await Promise.all(
      Object.entries(needs).map(
        async ([name, port]) => [name, await resolvePort(container, port)] as const,
      ),
    ),
  ) as Resolved<N>; // as above

export { Container };
