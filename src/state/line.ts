/** lost: neither socket nor calls get through. */
export type Line = { readonly at: 'live' } | { readonly at: 'lost'; readonly since: number }
