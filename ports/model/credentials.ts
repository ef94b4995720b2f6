/** How secrets that the server makes begin, so that one kind is never taken for another; an API key has no such beginning. */
export const beginnings = { access: 'orrery_at_', refresh: 'orrery_rt_', session: 'orrery_st_', ticket: 'orrery_ot_' } as const;

/** The cookie that holds a session. */
export const sessionCookie = 'sessionToken';
