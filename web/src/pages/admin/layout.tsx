import { Outlet } from "@tanstack/react-router"

export const AdminLayout = () => <Outlet />
