import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './launch.js';

/** The Python of the tests where it was made, else that of the system. */
export const testPython = (): string => {
  const made = process.env['ORRERY_TEST_PYTHON'] ?? join(cacheFolder(), 'python', 'bin', 'python');
  return existsSync(made) ? made : 'python3';
};
