/** Adds the kept releases of till.js to a built client, and the list of all versions. */
export declare function addReleases(client: string): void
