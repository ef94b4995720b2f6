// knex names this file in its documentation as what a client of one's own extends, and has no types for it.
declare module 'knex/lib/dialects/postgres/index.js';
