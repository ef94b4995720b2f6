import { isFailure } from '#ports/failure';
import { loadSettings } from './load.js';
import { serve } from './serve.js';

try {
  await serve(loadSettings(process.env));
} catch (thrown) {
  process.stderr.write(isFailure(thrown) ? `Orrery cannot start: ${thrown.message}\n` : `Orrery cannot start: ${thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown)}\n`);
  process.exit(1);
}
