/** Whether a host, alone or as in a URL, is this machine whatever its network is: `localhost`, or an address of the loopback interface. */
export const isLoopback = (host: string): boolean => ['localhost', '::1', '[::1]'].includes(host) || /^127(?:\.\d{1,3}){3}$/.test(host);
