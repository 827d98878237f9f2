import { CSPProvider } from '@base-ui/react/csp-provider';
import { Tooltip } from '@base-ui/react/tooltip';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { startLive } from './live.ts';
import { router } from './routes.tsx';
import { queries } from './server.ts';

// The service wrote it into this page for the style elements that libraries add.
const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce;

startLive();

export function App() {
  return (
    <CSPProvider nonce={nonce ?? ''}>
      <QueryClientProvider client={queries}>
        <Tooltip.Provider>
          <RouterProvider router={router} />
        </Tooltip.Provider>
      </QueryClientProvider>
    </CSPProvider>
  );
}
