/** How secrets that the server makes begin, so that one kind is never taken for another; an API key has no such beginning. A share code gets its own where it stands for a credential. */
export const beginnings = {
  access: 'orrery_at_',
  refresh: 'orrery_rt_',
  session: 'orrery_st_',
  ticket: 'orrery_ot_',
  share: 'orrery_sc_',
} as const;

/** The cookie that holds a session. */
export const sessionCookie = 'sessionToken';
