/**
 * All of them where everything must run (`ORRERY_TEST_ALL=1`); elsewhere every so-manieth, so that a laptop is done within minutes. Who asks
 * again and again counts `turn` up, so that each has its turn somewhere.
 */
export const someOf = <T>(all: readonly T[], share: number, turn = 0): readonly T[] =>
  process.env['ORRERY_TEST_ALL'] === '1'
    ? all
    : all.filter((_, place) => (place + turn) % share === 0);
