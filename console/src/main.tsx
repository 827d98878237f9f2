import './zod-without-eval.ts';
import './theme.css';
import { createRoot } from 'react-dom/client';
import { App } from './app.tsx';
import { loadWhenIdle } from './parts/browser/later.ts';
import { keepStylesheets } from './parts/browser/stylesheets.ts';
import { applyTheme } from './parts/browser/theme.ts';

keepStylesheets();
applyTheme();
const root = document.getElementById('root');
if (root !== null) createRoot(root).render(<App />);
// After the first paint, which has the frame.
requestAnimationFrame(() => setTimeout(loadWhenIdle));
