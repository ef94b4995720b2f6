// What is started once for all tests of a process ends with it: after the last suite here, after the last case under mocha's own command.
type End = () => Promise<unknown>;

const ends: End[] = [];

/** Does something once every test of this process is over; what was asked for last is done first. */
export const atEnd = (end: End): void => void ends.push(end);

/** Does what was asked for, all of it. Rejects with the first fault. May be repeated. */
export const endAll = async (): Promise<void> => {
  const faults: unknown[] = [];
  for (const end of ends.splice(0).reverse())
    await end().catch((fault: unknown) => faults.push(fault));
  if (faults.length > 0) throw faults[0];
};

/** Read by mocha's own command, which package.json tells of this file. */
export const mochaHooks = { afterAll: endAll };
