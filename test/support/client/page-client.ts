import { type ClientPorts, createClient } from '../../../src/api/client.ts'

/** The client of our page, in front of a service that the test plays with `fetch`, or of a real one. */
export const pageClient = (ports: Pick<ClientPorts, 'fetch'> & Partial<ClientPorts>) =>
  createClient({ base: 'https://api.example/v3', key: 'pk', onDate: () => {}, translate: async () => undefined, ...ports })
