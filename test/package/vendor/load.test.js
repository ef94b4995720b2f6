// Every suite of the installed package loads with nothing beside it but mocha, chai and fast-check.
import { readdirSync } from 'node:fs';

const home = new URL('../node_modules/orrery/dist/test/contract/', import.meta.url);
for (const name of readdirSync(home, { recursive: true }).filter((one) => one.endsWith('.js')))
  it(`the packed suite ${name} loads`, () => import(`orrery/test/contract/${name.slice(0, -3)}`));
