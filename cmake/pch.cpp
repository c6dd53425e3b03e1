// Exists only to carry the precompiled header (see AddAttn.cmake).
