import { isFailure } from '#ports/failure';
import { start } from './start.js';

try {
  await start(process.env);
} catch (thrown) {
  process.stderr.write(isFailure(thrown) ? `Orrery cannot start: ${thrown.message}\n` : `Orrery cannot start: ${thrown instanceof Error ? thrown.stack ?? thrown.message : String(thrown)}\n`);
  process.exit(1);
}
