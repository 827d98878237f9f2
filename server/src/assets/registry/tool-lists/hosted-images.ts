// For those who build and run hosted servers.
export {
  imageById,
  imageOn,
  pinnedImage,
  pinnedImages,
  putImage,
  type HostedImage,
  type ImageRef,
} from '../hosted-image-store.ts';
