/** Whether a URL leads to this machine. Other names are not resolved, since a name may lead elsewhere a moment later. */
export const isLoopback = ({ hostname }: Pick<URL, 'hostname'>): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname)
